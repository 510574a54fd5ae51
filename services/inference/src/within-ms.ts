/** Settles as `promise` does, or rejects with `onLate()` when that takes longer than `ms`. */
export function withinMs<T>(ms: number, promise: Promise<T>, onLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onLate()), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
