// Finds the operation for a method and path, or the methods that the path supports. The HTTP library's router will not
// do: 405 with Allow, HEAD for GET and decoded parameters need all routes of a path.

import { assert } from '#engine/base/assert.ts';
import type { Operation } from './operation.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** Segments, `:name` for a parameter: `/v1/webhooks/:webhookId`. */
  readonly path: string;
  readonly operation: Operation;
}

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  /** The path exists with these methods, HEAD and OPTIONS included. */
  | { readonly kind: 'wrong-method'; readonly allow: readonly string[] }
  | { readonly kind: 'unknown' };

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | null;
  readonly routes: Map<Method, Route>;
}

export class Router {
  readonly #root: Node = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
  }

  /** `path` is as sent, without the query. HEAD matches the GET route, unless that one starts something. */
  match(method: string, path: string): Match {
    const params: Record<string, string> = {};
    let node: Node | undefined = this.#root;
    for (const segment of path.split('/').slice(1)) {
      const fixed: Node | undefined = node.fixed.get(segment);
      if (fixed !== undefined) {
        node = fixed;
        continue;
      }
      const value = node.parameter === null ? null : decoded(segment);
      if (node.parameter === null || value === null || value === '') return { kind: 'unknown' };
      params[node.parameter.name] = value;
      node = node.parameter.node;
    }
    if (!path.startsWith('/') || node.routes.size === 0) return { kind: 'unknown' };
    const route = node.routes.get((method === 'HEAD' ? 'GET' : method) as Method);
    if (route === undefined || (method === 'HEAD' && route.operation.shape.startsSomething)) {
      return { kind: 'wrong-method', allow: allowed(node) };
    }
    return { kind: 'found', route, params };
  }

  #add(route: Route): void {
    let node = this.#root;
    for (const segment of route.path.split('/').slice(1)) {
      if (segment.startsWith(':')) {
        const name = segment.slice(1);
        node.parameter ??= { name, node: emptyNode() };
        assert(
          node.parameter.name === name,
          `the parameter in this place has the same name in every route: ${node.parameter.name}`,
        );
        node = node.parameter.node;
      } else {
        const next = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      }
    }
    assert(!node.routes.has(route.method), `${route.method} ${route.path} is listed once`);
    node.routes.set(route.method, route);
  }
}

function emptyNode(): Node {
  return { fixed: new Map(), parameter: null, routes: new Map() };
}

function allowed(node: Node): string[] {
  const get = node.routes.get('GET');
  const head = get !== undefined && !get.operation.shape.startsSomething;
  return [...node.routes.keys(), ...(head ? ['HEAD'] : []), 'OPTIONS'];
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
