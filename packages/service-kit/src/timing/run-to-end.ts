/** Runs steps to their end at once, without a turn for others, and returns what they return. */
export function runToEnd<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}
