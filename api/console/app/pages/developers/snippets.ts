// Programs that call the service, short and ready to run: with the account's own client id and this service's own
// address. The secret is never in them: they read it from the environment.

export type Language = 'curl' | 'typescript' | 'python' | 'go';

export const LANGUAGES: readonly Language[] = ['curl', 'typescript', 'python', 'go'];

export const SECRET_VARIABLE = 'SLIPSTREAM_CLIENT_SECRET';

export interface Snippet {
  /** What to type, once the program is there; null if it is a command itself. */
  readonly run: string | null;
  readonly file: string | null;
  readonly code: string;
}

/** `serviceUrl`: where the service is, without `/v1`. */
export function snippet(language: Language, clientId: string, serviceUrl: string): Snippet {
  return SNIPPETS[language](clientId, `${serviceUrl}/v1`);
}

/** A text in quotes, for languages that take those of JSON. */
const quoted = (value: string): string => JSON.stringify(value);

/** A text that a shell takes as it is. */
export const shellQuoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

const SNIPPETS: Readonly<Record<Language, (clientId: string, baseUrl: string) => Snippet>> = {
  curl: (clientId, baseUrl) => ({
    run: null,
    file: null,
    code: `TOKEN=$(curl -s ${shellQuoted(`${baseUrl}/oauth`)} -u ${shellQuoted(clientId)}:"$${SECRET_VARIABLE}" \\
  -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

curl -s ${shellQuoted(`${baseUrl}/feeds`)} -H "Authorization: Bearer $TOKEN"
`,
  }),

  typescript: (clientId, baseUrl) => ({
    run: 'node feeds.ts',
    file: 'feeds.ts',
    code: `import { SlipstreamClient } from 'slipstream-client';

const client = new SlipstreamClient({
  baseUrl: ${quoted(baseUrl)},
  clientId: ${quoted(clientId)},
  clientSecret: process.env.${SECRET_VARIABLE} ?? '',
});

const { feeds } = await client.listFeeds();
for (const { feedId, name } of feeds) console.log(feedId, name);
`,
  }),

  python: (clientId, baseUrl) => ({
    run: 'python3 feeds.py',
    file: 'feeds.py',
    code: `import json
import os
import urllib.parse
import urllib.request

BASE_URL = ${quoted(baseUrl)}

grant = urllib.parse.urlencode({
    "grant_type": "client_credentials",
    "client_id": ${quoted(clientId)},
    "client_secret": os.environ["${SECRET_VARIABLE}"],
})
with urllib.request.urlopen(f"{BASE_URL}/oauth", grant.encode(), timeout=30) as answer:
    token = json.load(answer)["access_token"]

request = urllib.request.Request(f"{BASE_URL}/feeds", headers={"Authorization": f"Bearer {token}"})
with urllib.request.urlopen(request, timeout=30) as answer:
    for feed in json.load(answer)["data"]["feeds"]:
        print(feed["feedId"], feed["name"])
`,
  }),

  go: (clientId, baseUrl) => ({
    run: 'go run feeds.go',
    file: 'feeds.go',
    code: `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"
)

const baseURL = ${quoted(baseUrl)}

var client = &http.Client{Timeout: 30 * time.Second}

// read decodes the answer of a request into value.
func read(answer *http.Response, err error, value any) {
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		log.Fatal(answer.Status)
	}
	if err := json.NewDecoder(answer.Body).Decode(value); err != nil {
		log.Fatal(err)
	}
}

func main() {
	var token struct {
		AccessToken string \`json:"access_token"\`
	}
	answer, err := client.PostForm(baseURL+"/oauth", url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {${quoted(clientId)}},
		"client_secret": {os.Getenv("${SECRET_VARIABLE}")},
	})
	read(answer, err, &token)

	request, err := http.NewRequest(http.MethodGet, baseURL+"/feeds", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token.AccessToken)
	var list struct {
		Data struct {
			Feeds []struct {
				FeedID string \`json:"feedId"\`
				Name   string \`json:"name"\`
			} \`json:"feeds"\`
		} \`json:"data"\`
	}
	answer, err = client.Do(request)
	read(answer, err, &list)
	for _, feed := range list.Data.Feeds {
		fmt.Println(feed.FeedID, feed.Name)
	}
}
`,
  }),
};

/** What programs of ours read from the environment. The secret is typed in, so that no history of a shell keeps it. */
export function environment(clientId: string, serviceUrl: string): string {
  return `export SLIPSTREAM_URL=${shellQuoted(`${serviceUrl}/v1`)} SLIPSTREAM_CLIENT_ID=${shellQuoted(clientId)}
read -rs ${SECRET_VARIABLE} && export ${SECRET_VARIABLE}
`;
}

export const LISTEN = `npx slipstream-client listen --forward-to http://localhost:9000/hook \\
  --session demo-race --speed 10
`;

/** Configuration of an assistant. The placeholders are for the reader: a file of an assistant has no environment. */
export function mcpConfiguration(clientId: string, serviceUrl: string): string {
  const server = {
    command: 'npm',
    args: ['run', '-s', 'mcp', '--prefix', '/path/to/slipstream'],
    env: { SLIPSTREAM_URL: serviceUrl, SLIPSTREAM_CLIENT_ID: clientId, [SECRET_VARIABLE]: '...' },
  };
  return `${JSON.stringify({ mcpServers: { slipstream: server } }, null, 2)}\n`;
}
