import { type GateJudgementKey, gateJudgementId, planGateJudgement } from './gate-judgement.ts'

const key: GateJudgementKey = { criterionId: 'c1', instrument: 1, source: 'gate', shadowOf: null }
const shadow: GateJudgementKey = { ...key, source: 'shadow', shadowOf: 'acme/one' }
const at = new Date('2026-11-21T12:00:00Z')
const exchange = { logId: 'l1', response: null, segment: 's', tag: null, createdAt: at, expiresAt: at }

it('has one id for a judge, exchange, instrument and shadow, and another when any of them differs', () => {
  const keys: readonly GateJudgementKey[] = [
    key,
    { ...key, criterionId: 'c2' },
    { ...key, instrument: 2 },
    shadow,
    { ...shadow, shadowOf: 'acme/two' },
    { ...shadow, shadowOf: null },
    { ...shadow, instrument: 2 },
  ]
  const ids = keys.flatMap((each) => [gateJudgementId(each, 'l1'), gateJudgementId(each, 'l2')])
  expect(new Set(ids).size).toBe(2 * keys.length)
  expect(gateJudgementId({ ...key, shadowOf: 'acme/one' }, 'l1')).toBe(gateJudgementId(key, 'l1'))
})

it.each([
  [null, null],
  [
    { role: 'assistant', content: 'Hi.' },
    { role: 'assistant', content: 'Hi.' },
  ],
  [{ content: 'Hi.' }, { role: 'assistant', content: 'Hi.' }],
  [
    { role: 7, content: 'Hi.' },
    { role: 'assistant', content: 'Hi.' },
  ],
])('judges %j as %j in place of the logged answer', (response, judgedResponse) => {
  const planned = planGateJudgement({ key, workspaceId: 'w', at }, { ...exchange, response })
  expect(planned).toMatchObject({ judgedResponse, item: { kind: 'log', logId: 'l1' }, source: 'gate', createdAt: at })
})
