/** The Node everything is tested with; a machine whose own Node is at least this major uses its own. */
export const pinnedNode = '24.21.0'

/** The pnpm that wrote the lockfile; a machine whose own pnpm is at least this one uses its own. */
export const pinnedPnpm = '12.21.0'

/**
 * Compares two versions by their numbers; pre-release tags are ignored.
 *
 * @param {string} version
 * @param {string} wanted
 * @returns {boolean} true when `version` is `wanted` or newer
 */
export function isAtLeast(version, requested) {
  const have = numbers(version)
  const want = numbers(requested)
  for (let i = 0; i < 3; i += 1) {
    if ((have[i] ?? 0) !== (want[i] ?? 0)) return (have[i] ?? 0) > (want[i] ?? 0)
  }
  return true
}

function numbers(version) {
  return version.replace(/^v/, '').split('-')[0].split('.').map(Number)
}
