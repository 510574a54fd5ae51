import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import { startOtlpCapture } from '@ratchet/testing/otlp-capture'

const fixture = path.join(import.meta.dirname, 'run-process.fixture.ts')
const register = path.join(import.meta.dirname, '../../../telemetry/src/register.ts')

/** Runs and stops a process that records a span while it stops. Resolves with its exit code and duration. */
async function runAndStop(endpoint: string): Promise<{ readonly code: number; readonly stopMs: number }> {
  const child = spawn(process.execPath, ['--import', register, fixture, 'traced'], {
    env: { PATH: process.env.PATH, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  child.stdout.on('data', (chunk) => {
    log += chunk
  })
  await eventually(() => log.includes('"ready"'))
  const began = performance.now()
  child.kill('SIGTERM')
  const [code] = await once(child, 'close')
  return { code, stopMs: performance.now() - began }
}

it('exports the last spans before a stopped process exits', async () => {
  const collector = await startOtlpCapture()
  const { code } = await runAndStop(collector.url)
  await collector.stop()

  expect(code).toBe(0)
  expect(collector.spans().map(({ name }) => name)).toEqual(['last work'])
})

it.each(['is away', 'never answers'])(
  'exits soon although the collector %s',
  async (how) => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    if (how === 'is away') await new Promise((resolve) => silent.close(resolve))

    const { code, stopMs } = await runAndStop(`http://127.0.0.1:${port}`)
    silent.close()

    expect(code).toBe(0)
    expect(stopMs).toBeLessThan(8_000)
  },
  20_000,
)
