import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { providerClient } from './provider-client.ts'

const entry = fileURLToPath(new URL('./main.ts', import.meta.url))
const body = { model: 'sim/large', messages: [{ role: 'user', content: 'Why is the sky blue?' }] }

async function startProcess(env: Record<string, string>) {
  const child = spawn(process.execPath, [entry], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, ready: JSON.parse(line) }
}

describe('the provider as a process', () => {
  it('prints its address, answers by its seed, and exits on SIGTERM', async () => {
    const answers = await Promise.all(
      ['one', 'one', 'two'].map(async (seed) => {
        const { child, ready } = await startProcess({ PORT: '0', SIM_SEED: seed, SIM_RECORD: 'off' })
        expect(ready).toMatchObject({ msg: 'ready', base_url: `http://127.0.0.1:${ready.port}` })
        const answer = await (await providerClient(ready.base_url).post('/v1/chat/completions', body)).text()
        child.kill('SIGTERM')
        expect(await once(child, 'exit')).toEqual([0, null])
        return answer
      }),
    )
    expect(answers[0]).toBe(answers[1])
    expect(answers[0]).not.toBe(answers[2])
  })
})
