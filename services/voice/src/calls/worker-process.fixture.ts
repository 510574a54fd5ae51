import { startTestWorker } from './call-system.fixture.ts'
import { memoryMoney } from './memory-money.fixture.ts'
import { testWriters } from './test-writers.fixture.ts'

/** A worker as a process of its own, which a test can kill. Its first line of output is its port. */
const writers = testWriters((turns) => `answer ${turns.length} ${'and on '.repeat(30).trim()}.`)
const { money } = memoryMoney()
const [, , databaseUrl = '', sipPort] = process.argv
const phone =
  sipPort === undefined
    ? {}
    : { SIP_LISTEN: { host: '127.0.0.1', port: Number(sipPort) }, RTP_PORTS: [34_000, 34_099] as [number, number] }
const worker = await startTestWorker({ databaseUrl, money, writers, phone })
process.stdout.write(`${worker.port}\n`)
process.on('SIGTERM', () => void worker.stop().then(() => process.exit(0)))
