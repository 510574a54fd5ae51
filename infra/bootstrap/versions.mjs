/** The version of Node that tests run on. The machine's own Node is used if its major version is at least this one. */
export const pinnedNode = '24.21.0'

/** The version of pnpm that wrote the lockfile. The machine's own pnpm is used if it is at least this version. */
export const pinnedPnpm = '12.21.0'

/**
 * Compares two versions by their numbers; pre-release tags are ignored.
 *
 * @param {string} version
 * @param {string} requested
 * @returns {boolean} true when `version` is `requested` or newer
 */
export function isAtLeast(version, requested) {
  const have = numbers(version)
  const required = numbers(requested)
  for (let i = 0; i < 3; i += 1) {
    if ((have[i] ?? 0) !== (required[i] ?? 0)) return (have[i] ?? 0) > (required[i] ?? 0)
  }
  return true
}

function numbers(version) {
  return version.replace(/^v/, '').split('-')[0].split('.').map(Number)
}
