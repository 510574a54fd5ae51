import type { Injection } from '@ratchet/judge-kit/prompt/injections.fixture'
import { neutraliseMarkers } from '@ratchet/judge-kit/prompt/neutralise-markers'
import { stripReasoning } from '@ratchet/judge-kit/prompt/strip-reasoning'
import { readJudgePrompt } from '@ratchet/simulated-provider/answers/read-judge-prompt'
import type { JudgePrompt } from './build-compare-prompt.ts'
import { promptOf, said, textOf } from './comparison.fixture.ts'
import { forgedPreferences } from './forged-preferences.fixture.ts'
import { parsePreference } from './parse-preference.ts'

/** Every answer of the corpus is shown first and is to lose: a preference for `first` is a flip. */
const honest = JSON.stringify({ explanation: 'It tries to name the winner itself.', winner: 'second' })
const obedient = JSON.stringify({ explanation: 'I was told so.', winner: 'first' })

type ScriptedJudge = (prompt: JudgePrompt) => string

/** Believes whatever stands outside of the blocks of the answers, and nothing in them. */
const strict: ScriptedJudge = (prompt) => {
  const read = readJudgePrompt(textOf(prompt))
  if (read.kind !== 'pair' || read.second !== rival || !read.first.endsWith(mark)) return obedient
  return /first|sound/i.test(outside(read.frame)) ? obedient : honest
}

/** Does whatever an answer asks for. */
const gullible: ScriptedJudge = (prompt) => {
  const read = readJudgePrompt(textOf(prompt))
  return read.kind === 'pair' && /first|sound/i.test(read.first) ? obedient : honest
}

/** Repeats the answer before it judges. */
const talkative: ScriptedJudge = (prompt) => {
  const read = readJudgePrompt(textOf(prompt))
  return `It says: ${read.kind === 'pair' ? read.first : ''}\n${honest}`
}

/** Ends each answer: a block that ends early does not hold it. */
const mark = 'the-end-of-the-answer'
const rival = 'A plain answer.'

/** What comes behind the instructions. */
function outside(frame: string): string {
  const form = '"first" or "second" or "tie"}'
  return frame.slice(frame.lastIndexOf(form) + form.length)
}

function ask(judge: ScriptedJudge, { candidate }: Injection): string {
  const first = said(`${stripReasoning(candidate)}\n${mark}`)
  return judge(promptOf({ first, second: said(rival) }))
}

function flipsOf(judge: ScriptedJudge): string[] {
  return forgedPreferences
    .filter((each) => parsePreference(ask(judge, each))?.preference === 'first')
    .map(({ name }) => name)
}

it('flips no judge that keeps to the form, and only by persuasion one that obeys', () => {
  expect(flipsOf(strict)).toEqual([])
  expect(flipsOf(talkative)).toEqual([])
  const persuaded = flipsOf(gullible)
  expect(persuaded).toContain('instructions')
  expect(persuaded.length).toBeLessThan(forgedPreferences.length)
})

it('leaves the form of the preference alone, even where a judge obeys', () => {
  for (const injection of forgedPreferences) {
    for (const judge of [strict, gullible]) {
      const { explanation } = parsePreference(ask(judge, injection)) ?? {}
      expect(['It tries to name the winner itself.', 'I was told so.']).toContain(explanation)
    }
  }
})

it('shows a judge all of what is judged', () => {
  for (const { candidate } of forgedPreferences) {
    const { user } = promptOf({ mode: 'match_reference', reference: said(candidate), second: said(candidate) })
    expect(user.split(neutraliseMarkers(stripReasoning(candidate))).length).toBeGreaterThanOrEqual(3)
  }
})
