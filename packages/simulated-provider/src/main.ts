import { startSimulatedProvider } from './start-simulated-provider.ts'

const { PORT = '0', HOST = '127.0.0.1', SIM_SEED = 'ratchet', SIM_RECORD = 'on' } = process.env

/** Milliseconds that running streams get to end after SIGTERM; a stalled one never would. */
const graceMs = 5_000

const provider = await startSimulatedProvider({
  port: Number(PORT),
  host: HOST,
  seed: SIM_SEED,
  record: SIM_RECORD !== 'off',
})

const ready = { level: 30, time: Date.now(), pid: process.pid, name: 'simulated-provider', msg: 'ready' }
process.stdout.write(`${JSON.stringify({ ...ready, base_url: provider.baseUrl, port: provider.port })}\n`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => provider.stop(graceMs))
