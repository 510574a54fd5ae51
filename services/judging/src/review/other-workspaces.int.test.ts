import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { type ReviewApp, startReviewApp } from './review-app.fixture.ts'
import { type Claimed, type ReviewSteps, reviewSteps } from './review-steps.fixture.ts'

let app: ReviewApp
let steps: ReviewSteps
let ann: Identity
beforeAll(async () => {
  app = await startReviewApp()
})
afterAll(() => app.stop())
beforeEach(() => {
  steps = reviewSteps(app)
  ;({ ann } = steps)
})

describe('what belongs to another workspace', () => {
  it.each<[string, 'get' | 'post', (own: Own) => readonly [path: string, body?: object]]>([
    ['a round', 'get', ({ round }) => [`/session/review/rounds/${round}`]],
    ['a round to close', 'post', ({ round }) => [`/session/review/rounds/${round}/close`]],
    ['a round to grade', 'post', ({ round }) => [`/session/review/rounds/${round}/claim`, {}]],
    [
      'a round to hold',
      'post',
      ({ round, held }) => [`/session/review/rounds/${round}/heartbeat`, { claim_ids: [held.id] }],
    ],
    ['a batch', 'get', ({ round }) => [`/session/review/rounds/${round}/batches/1`]],
    ['rounds of a judge', 'get', ({ judge }) => [`/session/review/rounds?criterion_id=${judge}`]],
    ['a judge for a round', 'post', ({ judge }) => ['/session/review/rounds', { criterion_id: judge }]],
    ['decisions of a judge', 'get', ({ judge }) => [`/session/review/adjudications?criterion_id=${judge}`]],
    ['a decision', 'post', ({ label }) => [`/session/review/adjudications/${label}`, { label: 'pass' }]],
    ['graders of a judge', 'get', ({ judge }) => [`/session/review/graders?criterion_id=${judge}`]],
    [
      'marks of a judge',
      'post',
      ({ judge, log }) => ['/session/labels/marks', { log_ids: [log], criterion_id: judge }],
    ],
    ['an exchange', 'post', ({ log }) => ['/session/labels', { unit: 'request', log_id: log, label: 'pass' }]],
    ['an estimate', 'post', ({ judge }) => [`/session/criteria/${judge}/calibrations/estimate`, {}]],
    [
      'an item',
      'post',
      ({ held }) => [
        '/session/review/grades',
        { grade_id: randomUUID(), claim_id: held.id, item_id: held.items[0]?.id, label: 'pass', shown_ms: 1 },
      ],
    ],
  ])('is not found: %s', async (_what, method, ask) => {
    const own = await ownThings()
    const outsider = app.person('owner', randomUUID())
    const [path, body] = ask(own)
    const refused = await app.send(outsider, method, path, body)
    expect([refused.status, refused.body.error.code]).toEqual([404, 'not_found'])
  })

  it('is not in lists, marks and the audit', async () => {
    const { judge, log } = await ownThings()
    const outsider = app.person('owner', randomUUID())
    const lists = ['/session/review/rounds', '/session/review/adjudications', '/session/judging/audit']
    for (const path of [...lists, `/session/judging/audit?criterion_id=${judge}`]) {
      expect((await app.send(outsider, 'get', path)).body).toMatchObject({ total: 0, data: [] })
    }
    const marks = await app.send(outsider, 'post', '/session/labels/marks', { log_ids: [log] })
    expect(marks.body.data).toEqual([])
  })

  interface Own {
    readonly round: string
    readonly judge: string
    readonly held: Claimed
    readonly label: string
    readonly log: string
  }

  async function ownThings(): Promise<Own> {
    const { id: round, judge } = await steps.openRound({}, 12)
    const held = await steps.claim(ann, round)
    await steps.gradeAll(ann, held)
    const [label] = await steps.labelsOf(judge)
    return { round, judge, held, label: label?.id ?? '', log: label?.log_id ?? '' }
  }
})
