/**
 * Runs `work` and shows a progress line: `▸ node 24.21.0 … 4 s`.
 *
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const started = Date.now()
  process.stderr.write(`▸ ${title} … `)
  try {
    const result = await work()
    process.stderr.write(`${seconds(Date.now() - started)}\n`)
    return result
  } catch (error) {
    process.stderr.write('failed\n')
    throw error
  }
}

function seconds(ms) {
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`
}
