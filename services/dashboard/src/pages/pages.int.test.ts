import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { startTestDashboard, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let folder: string
const script = 'console.log("built")'

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pages-'))
  await mkdir(path.join(folder, 'assets'))
  await writeFile(path.join(folder, 'index.html'), '<meta nonce="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>')
  await writeFile(path.join(folder, 'assets', 'index-abc.js'), script)
  await writeFile(path.join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script))
  dashboard = await startTestDashboard({ env: { WEB_FOLDER: folder } })
})
afterAll(async () => {
  await dashboard.stop()
  await rm(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => fetch(`${dashboard.url}${url}`, { headers })

it.each([
  '/',
  '/sign-in',
  '/w/acme/logs?log=log_1',
  '/w/acme/aliases/gpt-4.5',
  '/w/acme/aliases/page.html',
  '/index.html',
])('answers %s with the page and a new nonce', async (url) => {
  const answers = [await get(url), await get(url)]
  const nonces = await Promise.all(answers.map(async (answer) => /nonce="([^"]+)"/.exec(await answer.text())?.[1]))
  const policies = answers.map(({ headers }) => headers.get('content-security-policy') ?? '')
  expect(new Set(nonces).size).toBe(2)
  expect(policies[0]).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonces[0]}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  )
  expect(answers[0]?.headers.get('cache-control')).toBe('no-store')
})

it('serves built files compressed, and lets browsers store them', async () => {
  const answer = await get('/assets/index-abc.js', { 'accept-encoding': 'gzip' })
  expect(await answer.text()).toBe(script)
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(answer.headers.get('cache-control')).toMatch(/immutable/)
})

it.each(['/', '/assets/index-abc.js', '/api/me', '/api/nothing'])('protects %s', async (url) => {
  const { headers } = await get(url)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(headers.get('permissions-policy')).toContain('camera=()')
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

it.each([
  '/assets/missing.js',
  '/../package.json',
  '/%2e%2e/package.json',
  '/assets/..%2f..%2fpackage.json',
  '/api/nothing',
])('has nothing at %s', async (url) => {
  expect((await get(url)).status).toBe(404)
})

it('has no metrics where browsers come', async () => {
  expect((await (await get('/metrics')).text()).startsWith('<meta')).toBe(true)
})
