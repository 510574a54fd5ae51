import { type EvalEvidence, type PeopleEvidence, provenWinRate } from '@ratchet/contracts/eval-evidence'
import type { Eval } from '@ratchet/contracts/evals'
import { formatTable } from '../answer.ts'
import { inShare } from '../text/in-words.ts'

/** What an eval proves to the evidence policy of an alias, and how far earlier evals used it up; empty unless it is DONE. */
export function evidenceText({
  candidate_models: models,
  evidence,
}: Pick<Eval, 'candidate_models' | 'evidence'>): string {
  const rows = models.flatMap((model) => {
    const found = evidence?.[model]
    return found === undefined ? [] : [[model, ...cellsOf(found)]]
  })
  if (rows.length === 0) return ''
  const byPeople = models.flatMap((model) => {
    const found = evidence?.[model]?.people
    return found == null ? [] : [`${model}: ${peopleText(found)}`]
  })
  const table = formatTable([['EVIDENCE', 'WIN RATE FROM', 'IF FRESH', 'PROMPT USES', 'USED UP', ''], ...rows])
  return [table, ...byPeople].join('\n')
}

function peopleText({ problems, compared, win_rate: rate, win_rate_low: low }: PeopleEvidence): string {
  const proof = low !== null && low >= provenWinRate ? 'proof' : 'no proof of a better candidate'
  const state = problems.length > 0 ? 'too few samples' : proof
  return `people compared ${compared} samples blind, win rate ${inShare(rate)}, lower bound ${inShare(low)}: ${state}`
}

function cellsOf(found: EvalEvidence): readonly string[] {
  return [
    inShare(found.win_rate_low),
    inShare(found.win_rate_low_if_fresh),
    String(Number(found.prompt_uses.toFixed(1))),
    inShare(found.used_up),
    stateOf(found),
  ]
}

function stateOf({ problems, win_rate_low: low, is_exhausted: isExhausted, ...found }: EvalEvidence): string {
  const { prompts_needed: needed, prompt_uses_max: most } = found
  if (problems.length > 0) return `no evidence: ${problems.join(', ')}`
  if (isExhausted) return `used up: needs ${needed === null ? '' : `about ${needed} `}prompts that no eval has used`
  if (low === null || low < provenWinRate) return 'no proof of a better candidate'
  return `proof; with the same prompts up to ${most ?? 0} comparisons earlier`
}
