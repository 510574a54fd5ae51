import { codeFor } from './code.ts'

const input = {
  origin: 'https://gate.example',
  body: { model: 'sim/echo', messages: [{ role: 'user', content: `It's "so"\n` }] },
  headers: { 'X-Svc-Tag': 'playground' },
}

it('escapes quotes for the shell, and names no key', () => {
  const code = codeFor('curl', input)
  expect(code).toContain(String.raw`It'\''s \"so\"\n`)
  expect(code).toContain('-H "X-Svc-Tag: playground"')
  expect(code).toContain('$API_KEY')
})

it('writes the same request in Python and TypeScript', () => {
  const python = codeFor('Python', input)
  const text = JSON.parse(/json\.loads\((".*")\)/.exec(python)?.[1] ?? '') as string
  expect(JSON.parse(text)).toEqual(input.body)
  expect(codeFor('TypeScript', input)).toContain('"model": "sim/echo"')
})
