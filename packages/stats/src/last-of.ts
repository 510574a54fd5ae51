/** Runs the steps of a computation to their end at once, and returns what they return. */
export function lastOf<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
