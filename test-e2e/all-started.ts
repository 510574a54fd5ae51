/** Waits for processes that start at the same time. When one fails, waits for the others, so that each can be stopped. */
export async function allStarted<const T extends readonly Promise<unknown>[]>(
  starting: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}

/** The whole numbers from `from` to `to` − 1. */
export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
