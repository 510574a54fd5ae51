import { type GateLook, gateJudgementId, planGateJudgement } from './gate-judgement.ts'

const look: GateLook = { criterionId: 'c1', instrument: 1, source: 'gate', shadowOf: null }
const mirror: GateLook = { ...look, source: 'shadow', shadowOf: 'acme/one' }
const at = new Date('2026-11-21T12:00:00Z')
const exchange = { logId: 'l1', response: null, segment: 's', tag: null, createdAt: at, expiresAt: at }

it('is the same look for the same judge, exchange, instrument and mirror, and another for any other', () => {
  const looks: readonly GateLook[] = [
    look,
    { ...look, criterionId: 'c2' },
    { ...look, instrument: 2 },
    mirror,
    { ...mirror, shadowOf: 'acme/two' },
    { ...mirror, shadowOf: null },
    { ...mirror, instrument: 2 },
  ]
  const ids = looks.flatMap((each) => [gateJudgementId(each, 'l1'), gateJudgementId(each, 'l2')])
  expect(new Set(ids).size).toBe(2 * looks.length)
  expect(gateJudgementId({ ...look, shadowOf: 'acme/one' }, 'l1')).toBe(gateJudgementId(look, 'l1'))
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
  const planned = planGateJudgement({ look, workspaceId: 'w', at }, { ...exchange, response })
  expect(planned).toMatchObject({ judgedResponse, item: { kind: 'log', logId: 'l1' }, source: 'gate', createdAt: at })
})
