import { describeFault } from './describe-fault.ts'

/** Bodies that are deeper, larger, or have more keys than any real request. */
const hostile: readonly (readonly [what: string, body: () => string])[] = [
  ['65 levels', () => withMember(nested(65))],
  ['5 000 levels', () => withMember(nested(5_000))],
  ['a million levels that never end', () => withMember('['.repeat(1_000_000))],
  ['half a million keys', () => withMember(`{${Array.from({ length: 500_000 }, (_, i) => `"k${i}":1`).join(',')}}`)],
  ['9 MB of empty arrays', () => withMember(`[${'[],'.repeat(3_000_000)}[]]`)],
  ['9 MB of backslashes', () => withMember(`"${'\\\\'.repeat(4_500_000)}`)],
  ['9 MB of digits', () => withMember(`${'9'.repeat(9_000_000)}x`)],
]
const attacks = 24

describeFault(
  {
    id: 'F5',
    title: 'JSON of great depth, many keys, or megabytes',
    promise: '400 in linear time; the event loop is not blocked: 99 of 100 other requests wait less than 400 ms longer',
  },
  (fault) => {
    it.each(hostile)('refuses %s', async (_what, body) => {
      const answer = await post(body())
      expect(answer).toMatchObject({ status: 400, error: { code: 'invalid_request', type: 'invalid_request_error' } })
    })

    it('serves other clients meanwhile', async () => {
      const calm = await fault.askDuring({ model: 'sim/echo' }, () => fault.ask({ model: 'sim/slow-3000' }))
      const bodies = hostile.map(([, body]) => body())
      const refused: number[] = []
      const underFault = await fault.askDuring({ model: 'sim/echo' }, async () => {
        for (let i = 0; i < attacks; i++) {
          const body = bodies[Math.floor(fault.random() * bodies.length)] ?? ''
          refused.push((await post(body)).status)
        }
      })
      fault.note('hostile bodies refused meanwhile', refused.length)
      fault.note('others, calm: p50 / p99, ms', `${quantile(calm, 0.5)} / ${quantile(calm, 0.99)}`)
      fault.note('others, meanwhile: p50 / p99, ms', `${quantile(underFault, 0.5)} / ${quantile(underFault, 0.99)}`)
      expect(new Set(refused)).toEqual(new Set([400]))
      expect(new Set(underFault.map(({ status }) => status))).toEqual(new Set([200]))
      expect(quantile(underFault, 0.99)).toBeLessThan(quantile(calm, 0.99) + 400)
    }, 60_000)

    async function post(body: string) {
      const response = await fetch(`${fault.fleet.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fault.fleet.workspace.apiKey}`, 'content-type': 'application/json' },
        body,
      })
      const { error } = (await response.json()) as { readonly error: object }
      return { status: response.status, error }
    }
  },
)

function withMember(value: string): string {
  return `{"model":"sim/echo","messages":[{"role":"user","content":"hi"}],"metadata":${value}}`
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

function quantile(asked: readonly { readonly ms: number }[], share: number): number {
  const sorted = asked.map(({ ms }) => ms).sort((a, b) => a - b)
  return Math.round(sorted[Math.floor(share * sorted.length)] ?? Number.NaN)
}
