/**
 * The work's outcome, or a rejection once `ms` milliseconds are over. The work itself is not stopped. The
 * deadline is judged after a look at the network: a process that was itself kept from running finds
 * the answer that came meanwhile, and does not take its own delay for the other side's.
 */
export function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() => reject(new Error(`no answer within ${ms} ms`)))
    }, ms)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
