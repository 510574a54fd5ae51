import { brandOf, defaultBrandWord } from './brand.ts'

it('uses the default word in every name on the wire', () => {
  expect(brandOf()).toEqual({
    word: 'Svc',
    keyPrefix: 'sk_svc_',
    headers: {
      alias: 'X-Svc-Alias',
      servedModel: 'X-Svc-Served-Model',
      costUsd: 'X-Svc-Cost-Usd',
      cache: 'X-Svc-Cache',
      cacheTtl: 'X-Svc-Cache-Ttl',
      dropped: 'X-Svc-Dropped',
      fallbackFrom: 'X-Svc-Fallback-From',
      log: 'X-Svc-Log',
      logged: 'X-Svc-Logged',
      maxWait: 'X-Svc-Max-Wait',
      metadata: 'X-Svc-Metadata',
      session: 'X-Svc-Session',
      store: 'X-Svc-Store',
      strict: 'X-Svc-Strict',
      tag: 'X-Svc-Tag',
      traceId: 'X-Svc-Trace-Id',
      user: 'X-Svc-User',
    },
  })
})

it("uses a deployment's own word everywhere", () => {
  expect(JSON.stringify(brandOf('Acme2'))).toBe(
    JSON.stringify(brandOf()).replaceAll(defaultBrandWord, 'Acme2').replace('sk_svc_', 'sk_acme2_'),
  )
})

it.each(['', '2Fast', 'Two Words', 'A-B', 'Ä', 'A\r\nX-Injected: 1', 'A'.repeat(17)])(
  'refuses %j, which is not valid in a header name or a key',
  (word) => {
    expect(() => brandOf(word)).toThrow(RangeError)
  },
)
