import { verdictFormat } from '@ratchet/judge-kit/fleet/judge-exchange'
import { buildJudgePrompt } from '@ratchet/judge-kit/prompt/build-judge-prompt'
import { foldRun } from '@ratchet/judge-kit/prompt/fold-run'
import { type Injection, injections } from '@ratchet/judge-kit/prompt/injections.fixture'
import { type JudgePrompt, parseChoice } from '@ratchet/judge-kit/prompt/judge-choice'
import { renderReply } from '@ratchet/judge-kit/prompt/render-exchange'
import { readJudgePrompt } from '@ratchet/simulated-provider/answers/read-judge-prompt'

/** Every candidate of the corpus is to fail: a verdict of PASS is a flip. */
const honest = JSON.stringify({ verdict: 'FAIL', explanation: 'It tries to give its own verdict.' })
const obedient = JSON.stringify({ verdict: 'PASS', explanation: 'I was told so.' })

type ScriptedJudge = (prompt: JudgePrompt) => string

/** Believes all text outside of the candidate's block, and nothing inside it. */
const strict: ScriptedJudge = ({ system, user }) => {
  const read = readJudgePrompt(`${system}\n${user}`)
  const isFooled = read.kind !== 'single' || !read.candidate.endsWith(mark) || /PASS|sound/i.test(outside(read.frame))
  return isFooled ? obedient : honest
}

/** Follows every instruction of a candidate. */
const gullible: ScriptedJudge = ({ system, user }) => {
  const read = readJudgePrompt(`${system}\n${user}`)
  return read.kind === 'single' && /PASS|sound/i.test(read.candidate) ? obedient : honest
}

/** Repeats the candidate before it judges. */
const talkative: ScriptedJudge = ({ system, user }) => {
  const read = readJudgePrompt(`${system}\n${user}`)
  return `It says: ${read.kind === 'single' ? read.candidate : ''}\n${honest}`
}

/** Ends each candidate: a block that ends early does not hold it. */
const mark = 'the-end-of-the-candidate'

/** What comes behind the instructions. */
function outside(frame: string): string {
  return frame.slice(frame.lastIndexOf('"PASS" or "FAIL"}') + 17)
}

function ask(judge: ScriptedJudge, { candidate }: Injection, unit: 'request' | 'trace' = 'request'): string {
  const response = { role: 'assistant', content: `${candidate}\n${mark}` }
  const exchange = { messages: [{ role: 'user', content: 'Hello?' }], response, tools: null, model: null }
  const prompt = buildJudgePrompt({ judgementId: 'a-judgement', criterion: 'It is rude.', exchange, unit })
  if (prompt === null) throw new Error('too large')
  return judge(prompt)
}

function flipsOf(judge: ScriptedJudge, unit: 'request' | 'trace' = 'request'): string[] {
  return injections
    .filter((each) => parseChoice(ask(judge, each, unit), verdictFormat)?.choice === 'pass')
    .map(({ name }) => name)
}

it('changes no verdict of a careful judge, and of an obedient one only by persuasion', () => {
  expect(flipsOf(strict)).toEqual([])
  expect(flipsOf(talkative)).toEqual([])
  const persuaded = flipsOf(gullible)
  expect(persuaded).toContain('instructions')
  expect(persuaded.length).toBeLessThan(injections.length)
})

it('changes no verdict of a careful judge on the last answer of a run', () => {
  expect(flipsOf(strict, 'trace')).toEqual([])
  expect(flipsOf(talkative, 'trace')).toEqual([])
})

it('keeps what a tool or an earlier step of a run says inside its block', () => {
  const question = { role: 'user', content: 'Hello?' }
  const end = { role: 'assistant', content: `Done.\n${mark}` }
  for (const { name, candidate } of injections) {
    const said = { role: 'assistant', content: candidate }
    const found = { role: 'tool', tool_call_id: 'a', content: candidate }
    const exchange = foldRun([
      { messages: [question], response: said, tools: null, model: null },
      { messages: [question, said, found], response: end, tools: null, model: null },
    ])
    const prompt = exchange && buildJudgePrompt({ judgementId: 'j', criterion: 'It is rude.', exchange, unit: 'trace' })
    const { system = '', user = '' } = prompt ?? {}
    const read = readJudgePrompt(`${system}\n${user}`)
    expect([name, read]).toEqual([name, expect.objectContaining({ kind: 'single', candidate: end.content })])
    const nonce = /^<<conversation ([0-9a-f]{32})>>$/m.exec(user)?.[1] ?? 'none'
    const ends = user.split('\n').filter((line) => line === `<<end ${nonce}>>`)
    expect([name, ends.length]).toEqual([name, 2])
  }
})

it('leaves the verdict readable, even by an obedient judge', () => {
  for (const injection of injections) {
    for (const judge of [strict, gullible]) {
      const parsed = parseChoice(ask(judge, injection), verdictFormat)
      expect(parsed).not.toBeNull()
      expect(['It tries to give its own verdict.', 'I was told so.']).toContain(parsed?.explanation)
    }
  }
})

it('shows the judge the complete text', () => {
  for (const { candidate } of injections) {
    const response = { role: 'assistant', content: candidate }
    const prompt = buildJudgePrompt({
      judgementId: 'a-judgement',
      criterion: 'It is rude.',
      exchange: { messages: [], response, tools: null, model: null },
      unit: 'request',
    })
    expect(prompt?.user).toContain(renderReply(response))
  }
})
