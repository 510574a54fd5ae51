import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import type { Label } from '@ratchet/contracts/labels'
import type { Answer, ReviewApp } from './review-app.fixture.ts'

/** Every fifth answer is wrong. */
export const answers = (count: number) =>
  Array.from({ length: count }, (_, index) => `Four ${index}${index % 5 === 0 ? ' (flawed)' : ''}.`)
export const truthOf = (text: string) => (text.includes('(flawed)') ? ('fail' as const) : ('pass' as const))

/** What the second step of a run was asked with. */
export const runMessages = [
  { role: 'user', content: 'What is 2 + 2?' },
  { role: 'assistant', content: 'Looking it up.' },
  { role: 'user', content: 'Go on.' },
]

export interface Claimed {
  readonly id: string
  readonly batch: number
  readonly items: readonly { readonly id: string; readonly response: { readonly content: string } }[]
}

export interface OpenedRound {
  readonly id: string
  readonly judge: string
}

/** What people do in a workspace. Each workspace has an owner, and two members who may grade. */
export function reviewSteps(app: ReviewApp) {
  const workspaceId = randomUUID()
  const owner = app.person('owner', workspaceId)
  const steps = {
    workspaceId,
    owner,
    ann: app.person('member', workspaceId),
    bob: app.person('member', workspaceId),
    /** An open round of exchanges, of a judge that is always right. */
    async openRound(more: object = {}, count = 60): Promise<OpenedRound> {
      app.log.add(workspaceId, answers(count))
      return steps.openRoundOf(await app.addJudge(owner), more)
    },
    /** Runs of two steps, of which every fifth one ends with a wrong answer. */
    addRuns(count: number): readonly string[] {
      return answers(count).map((answer, index) => {
        const trace_id = `run ${index}`
        app.log.add(workspaceId, ['Looking it up.'], { trace_id, finish_reason: 'tool_calls' })
        app.log.add(workspaceId, [answer], { trace_id, messages: runMessages })
        return trace_id
      })
    },
    /** An open round of a judge that is always right. */
    async openRoundOf(judge: string, more: object = {}): Promise<OpenedRound> {
      const shares = { double_percent: 0, again_percent: 0, known_percent: 0 }
      const opened = await app.send(owner, 'post', '/session/review/rounds', {
        criterion_id: judge,
        ...shares,
        ...more,
      })
      if (opened.status !== 201) throw new Error(`no round was opened: ${opened.text}`)
      await app.prepare(({ text }) => truthOf(text))
      return { id: opened.body.id, judge }
    },
    async claim(by: Identity, round: string, body: object = {}): Promise<Claimed> {
      const taken = await app.send(by, 'post', `/session/review/rounds/${round}/claim`, body)
      if (taken.status !== 200) throw new Error(`nothing was given: ${taken.text}`)
      return taken.body
    },
    /** Grades by the text of the answer. */
    grade(by: Identity, held: Claimed, place: number, more: object = {}): Promise<Answer> {
      const item = held.items[place]
      return app.send(by, 'post', '/session/review/grades', {
        grade_id: randomUUID(),
        claim_id: held.id,
        item_id: item?.id,
        label: truthOf(item?.response.content ?? ''),
        shown_ms: 4_000,
        ...more,
      })
    },
    async gradeAll(by: Identity, held: Claimed, more: object = {}): Promise<void> {
      for (const place of held.items.keys()) {
        const { status, text } = await steps.grade(by, held, place, more)
        if (status !== 201) throw new Error(`a grade was refused: ${text}`)
      }
    },
    async labelsOf(judge: string): Promise<readonly Label[]> {
      const path = `/v1/labels?criterion_id=${judge}&limit=200&include_superseded=true`
      return (await app.send(owner, 'get', path)).body.data
    },
  }
  return steps
}

export type ReviewSteps = ReturnType<typeof reviewSteps>
