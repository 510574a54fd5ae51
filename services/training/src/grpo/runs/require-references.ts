import type { RewardTerms } from '@ratchet/contracts/grpo-body'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { PromptParts } from './read-prompts.ts'

/** Functions of a reward that compare the answer with the last reply of the example. */
const comparing: ReadonlySet<RewardTerms['functions'][number]['type']> = new Set(['exact_match', 'numeric_close'])

/** @throws ServiceError `invalid_training_data` when prompts have no reply that the reward compares answers with */
export function requireReferences({ functions }: RewardTerms, { train, guard, proof }: PromptParts): void {
  const compares = functions.find(({ type }) => comparing.has(type))
  if (compares === undefined) return
  const missing = [train, guard, proof].flat().filter(({ reference }) => reference === null).length
  if (missing === 0) return
  const message = `\`${compares.type}\` compares answers with the last reply of each example, which ${missing} prompts do not have. Use a dataset of the format \`chat\`.`
  throw new ServiceError('invalid_training_data', message, { param: 'datasetId', details: { without_reply: missing } })
}
