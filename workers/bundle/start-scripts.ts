// The programs of a bundle. They work from any folder and through links, and they resolve the links at once: a service
// that runs while a link is switched to another version keeps loading the code of its own.

const script = (what: string, module: string): string => `#!/bin/sh
# ${what}, with the Node of this version.
program=$(readlink -f "$0") || exit 1
version=\${program%/bin/*}
exec "$version/node_modules/.bin/node" "$version/workers/${module}" "$@"
`;

/** By their paths in a bundle. */
export const START_SCRIPTS: Readonly<Record<string, string>> = {
  'bin/slipstream': script('Runs the service', 'main.ts'),
  'bin/slipstream-admin': script('Runs an admin command', 'admin.ts'),
};
