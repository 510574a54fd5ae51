import { toleratedFailures } from './run-load.ts'
import { wrkScript } from './run-wrk.ts'

describe('toleratedFailures', () => {
  it.each([
    { failures: 0, requests: 1 },
    { failures: 1, requests: 1_000 },
  ])('lets %j pass', (count) => {
    expect(toleratedFailures('step', count)).toBe(count.failures)
  })

  it.each([
    { failures: 2, requests: 1_000 },
    { failures: 0, requests: 0 },
  ])('refuses %j: such figures mean nothing', (count) => {
    expect(() => toleratedFailures('chat', count)).toThrow('chat: ')
  })
})

describe('wrkScript', () => {
  it('sends a body with quotes, backslashes, line breaks and other alphabets byte for byte', () => {
    const body = '{"a":"\\"\n]]é"}'
    const script = wrkScript({ url: '', headers: { authorization: 'Bearer x' }, body })
    const literal = /^wrk\.body = "(.*)"$/m.exec(script)?.[1] ?? ''
    const bytes = literal.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code)))
    expect(Buffer.from(bytes, 'latin1').toString('utf8')).toBe(body)
    expect(script).toContain('wrk.headers["authorization"] = "Bearer x"')
  })
})
