import { writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type CallFigures, measureCalls } from './measure-calls.ts'
import { type LegFigures, measureLegs } from './measure-legs.ts'
import { renderVoice } from './render-voice.ts'

/* npm run bench:voice: what the engine adds to the parts of a call, calls of one core, and legs of a process. */

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1,20,50,100' },
    legs: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '20' },
  },
})
const seconds = Number(values.seconds)
const load = loadavg()[0] ?? 0
const calls: CallFigures[] = []
for (const count of values.calls.split(',').map(Number)) calls.push(await measureCalls(count, seconds))
const legs: LegFigures[] = []
for (const count of values.legs.split(',').map(Number)) legs.push(await measureLegs(count, seconds))
const report = renderVoice({ calls, legs, seconds, load, cores: availableParallelism(), node: process.version })
console.log(report)
await writeFile(path.join(import.meta.dirname, '../../../bench/results/voice.md'), report)
process.exit(0)
