import { formattedBody } from './message-format.ts'

const data = { name: '<!channel> A & B', used_nano: '80', spent: 1, nothing: null, list: [1], empty: '' }
const body = JSON.stringify({ type: 'budget.threshold', timestamp: '2026-11-30T12:00:00.000Z', data })

it('sends a message of Standard Webhooks as it is, because it is signed', () => {
  expect(formattedBody('standard', body)).toBe(body)
})

it('shows plain fields in Slack, and lets none of them mention anybody', () => {
  expect(JSON.parse(formattedBody('slack', body))).toEqual({
    text: '*budget.threshold*\nname: &lt;!channel&gt; A &amp; B\nused_nano: 80\nspent: 1',
  })
})

it('shows the same in Teams, as a card of texts', () => {
  const { type, attachments } = JSON.parse(formattedBody('teams', body))
  const [{ contentType, content }] = attachments
  expect([type, contentType, content.type]).toEqual([
    'message',
    'application/vnd.microsoft.card.adaptive',
    'AdaptiveCard',
  ])
  const texts = content.body.map(({ inlines }: { inlines: { text: string }[] }) =>
    inlines.map(({ text }) => text).join(''),
  )
  expect(texts).toEqual(['budget.threshold', 'name: <!channel> A & B', 'used_nano: 80', 'spent: 1'])
})

it.each(['slack', 'teams'] as const)('shows a name as one line of %s, so that it forges no others', (format) => {
  const forged = JSON.stringify({ type: 't', data: { name: 'ann\n*wallet.low*\u2028\u202e\r x' } })
  const text = formattedBody(format, forged)
  expect(text).toContain('ann *wallet.low* x')
  expect(text).not.toMatch(/\\n\*|\u2028|\u202e/)
})

it('cuts what is long', () => {
  const long = JSON.stringify({
    type: 't',
    data: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`n${n}`, 'x'.repeat(5_000)])),
  })
  expect(formattedBody('slack', long).length).toBeLessThan(4_000)
})
