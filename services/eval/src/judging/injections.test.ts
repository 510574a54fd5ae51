import type { Injection } from '@ratchet/judge-kit/prompt/injections.fixture'
import { type JudgePrompt, parseChoice } from '@ratchet/judge-kit/prompt/judge-choice'
import { renderReply } from '@ratchet/judge-kit/prompt/render-exchange'
import { readJudgePrompt } from '@ratchet/simulated-provider/answers/read-judge-prompt'
import { preferenceFormat } from './compare-answers.ts'
import { promptOf, said, textOf } from './comparison.fixture.ts'
import { forgedPreferences } from './forged-preferences.fixture.ts'

/** Every answer of the corpus is shown first and should lose, so a preference for `first` is a flip. */
const honest = JSON.stringify({ explanation: 'It tries to name the winner itself.', winner: 'second' })
const obedient = JSON.stringify({ explanation: 'The answer said so.', winner: 'first' })

type ScriptedJudge = (prompt: JudgePrompt) => string

/** Follows text outside of the answer blocks and ignores text inside of them. */
const strict: ScriptedJudge = (prompt) => {
  const read = readJudgePrompt(textOf(prompt))
  if (read.kind !== 'pair' || read.second !== rival || !read.first.endsWith(mark)) return obedient
  return /first|sound/i.test(outside(read.frame)) ? obedient : honest
}

/** Follows the instructions of an answer. */
const gullible: ScriptedJudge = (prompt) => {
  const read = readJudgePrompt(textOf(prompt))
  return read.kind === 'pair' && /first|sound/i.test(read.first) ? obedient : honest
}

/** Repeats the answer before it judges. */
const talkative: ScriptedJudge = (prompt) => {
  const read = readJudgePrompt(textOf(prompt))
  return `It says: ${read.kind === 'pair' ? read.first : ''}\n${honest}`
}

/** The last text of each answer. A block that ends too early does not contain it. */
const mark = 'the-end-of-the-answer'
const rival = 'A plain answer.'

/** The text after the instructions. */
function outside(frame: string): string {
  const form = '"first" or "second" or "tie"}'
  return frame.slice(frame.lastIndexOf(form) + form.length)
}

function judgeWith(judge: ScriptedJudge, { candidate }: Injection): string {
  const first = said(`${candidate}\n${mark}`)
  return judge(promptOf({ first, second: said(rival) }))
}

function flipsOf(judge: ScriptedJudge): string[] {
  return forgedPreferences
    .filter((each) => parseChoice(judgeWith(judge, each), preferenceFormat)?.choice === 'first')
    .map(({ name }) => name)
}

it('changes the verdict of no strict judge, and of an obedient judge only by persuasion', () => {
  expect(flipsOf(strict)).toEqual([])
  expect(flipsOf(talkative)).toEqual([])
  const persuaded = flipsOf(gullible)
  expect(persuaded).toContain('instructions')
  expect(persuaded.length).toBeLessThan(forgedPreferences.length)
})

it('cannot change the format of the verdict, even with an obedient judge', () => {
  for (const injection of forgedPreferences) {
    for (const judge of [strict, gullible]) {
      const { explanation } = parseChoice(judgeWith(judge, injection), preferenceFormat) ?? {}
      expect(['It tries to name the winner itself.', 'The answer said so.']).toContain(explanation)
    }
  }
})

it('shows the judge the complete texts', () => {
  for (const { candidate } of forgedPreferences) {
    const { user } = promptOf({ mode: 'match_reference', reference: said(candidate), second: said(candidate) })
    expect(user.split(renderReply(said(candidate))).length).toBeGreaterThanOrEqual(3)
  }
})
