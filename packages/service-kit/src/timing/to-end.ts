/** Runs the steps of a computation at once, and returns what they return. */
export function toEnd<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
