/** CPU milliseconds of the longest turn of the event loop while `work` runs. */
export async function longestTurnMs(work: Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  for (let before = process.threadCpuUsage(); !isDone; ) {
    await new Promise((resolve) => setImmediate(resolve))
    const { user, system } = process.threadCpuUsage()
    longest = Math.max(longest, (user + system - before.user - before.system) / 1_000)
    before = { user, system }
  }
  return longest
}
