import { TrainingExample } from '@ratchet/contracts/training-example'
import { parseInput } from '@ratchet/service-kit/http/parse-input'

/**
 * Parses the examples of a body one by one, each as a step of its own: all of a large body at once would let other requests
 * wait for a second.
 *
 * @throws ServiceError 400 that names the wrong field of the first wrong example
 */
export function* parseExamples(values: readonly unknown[]): Generator<void, readonly TrainingExample[]> {
  const examples: TrainingExample[] = []
  for (const [index, value] of values.entries()) {
    examples.push(parseInput(TrainingExample, value, ['examples', index]))
    yield
  }
  return examples
}
