import type { JudgingMode, RubricType } from '@ratchet/contracts/evals'
import { neutraliseMarkers } from '@ratchet/judge-kit/prompt/neutralise-markers'

/** The standard by which two answers are compared. */
export interface Standard {
  readonly mode: JudgingMode
  readonly rubricType: RubricType
  /** Null when the rubric type is enough. */
  readonly rubric: string | null
  /** Whether the rubric is a criterion, which says what makes an answer fail and not what makes it good. */
  readonly isCriterion: boolean
}

/**
 * Writes the standard in words, for the instructions of a judge. A criterion is used alone, without the text of the rubric
 * type, because its judge was calibrated that way.
 *
 * @throws RangeError for a criterion, or the type `custom`, without a rubric
 */
export function writeStandard({ mode, rubricType, rubric, isCriterion }: Standard): string {
  const shown = neutraliseMarkers(rubric ?? '')
  if (shown === '' && (isCriterion || rubricType === 'custom')) {
    throw new RangeError('a criterion and the rubric type `custom` require a rubric')
  }
  if (isCriterion) return joined([opening[mode], criterionIn[mode](shown)])
  const guidance = guidanceIn[mode][rubricType]
  if (shown === '') return joined([opening[mode], guidance])
  return joined([opening[mode], guidance, rubricIn[mode](shown), rubricType === 'custom' ? nothingElse : ''])
}

const nothingElse = 'Judge by this alone, not by anything else that you like or dislike.'

const opening: Readonly<Record<JudgingMode, string>> = {
  direct_quality: '',
  match_reference:
    'The better answer is the one that is closer to the reference in what it means and in what it does: the same statements and conclusions, the same decisions, the same calls of tools with the same arguments. Whether the reference itself is right is not asked. Wording and style may differ from it, whatever is said of style below.',
}

const guidanceIn: Readonly<Record<JudgingMode, Readonly<Record<RubricType, string>>>> = {
  direct_quality: {
    adherence:
      'The better answer follows the instructions of the system prompt and of the user, all of them, and does nothing that they rule out.',
    helpfulness:
      'The better answer does more for what the user needs. It deals with what was asked, completely, and leaves the user less to do.',
    correctness:
      'The better answer is right in what it states, in how it reasons and in the tools that it calls with their arguments. A mistake weighs by what it would lead to.',
    style:
      'The better answer is better written: its tone, form and clarity suit the conversation. Judge how things are said, not what is said.',
    custom: '',
  },
  match_reference: {
    adherence:
      'What matters most in being close is whatever the instructions of the system prompt and of the user ask for, all of them.',
    helpfulness: 'What matters most in being close is whatever the user needs.',
    correctness:
      'What matters most in being close are facts, figures, reasoning and the tools that are called with their arguments.',
    style:
      'Only between two that are equally close in meaning and action, the one decides that is closer in tone, form and clarity.',
    custom: '',
  },
}

const rubricIn: Readonly<Record<JudgingMode, (rubric: string) => string>> = {
  direct_quality: (rubric) => `## The rubric: what makes an answer good

${rubric}

The better answer is the one that satisfies the rubric better.`,
  match_reference: (rubric) => `## The rubric: what matters in being close to the reference

${rubric}

A difference in meaning or action that matters here weighs more than one that does not.`,
}

const criterionIn: Readonly<Record<JudgingMode, (criterion: string) => string>> = {
  direct_quality: (criterion) => `## The criterion: what makes an answer FAIL

${criterion}

An answer to which this does not apply does not fail. The better answer is the one that does not fail. Where both fail, or neither does, it is a tie, unless one of them clearly fails less. ${nothingElse}`,
  match_reference: (criterion) => `## The criterion: what makes an answer FAIL

${criterion}

An answer that fails is further from the reference than one that does not. Where both fail, or neither does, it is a tie, unless one of them is clearly closer to the reference.`,
}

function joined(paragraphs: readonly string[]): string {
  return paragraphs.filter((text) => text !== '').join('\n\n')
}
