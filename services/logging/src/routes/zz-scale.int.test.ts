import { type DatasetApp, startDatasetApp } from './dataset-app.fixture.ts'
let app: DatasetApp
beforeAll(async () => { app = await startDatasetApp() })
afterAll(() => app?.stop())
it('scale', async () => {
  let t = Date.now()
  for (let b = 0; b < 20; b++) {
    await app.log(Array.from({ length: 1000 }, (_, n) => {
      const id = b * 1000 + n; const conv = Math.floor(id / 4); const turn = id % 4
      const messages: object[] = [{ role: 'system', content: 'Be brief.' }]
      for (let k = 0; k <= turn; k++) { messages.push({ role: 'user', content: `conv ${conv} turn ${k} ${'lorem ipsum '.repeat(30)}` }); if (k < turn) messages.push({ role: 'assistant', content: `answer ${conv} ${k}` }) }
      return { tag: 's', traceId: `t${conv % 9000}`, messages, reply: `answer ${conv} ${turn}` }
    }))
  }
  console.log('logged', Date.now() - t); t = Date.now()
  let last = Date.now(); let worst = 0
  const timer = setInterval(() => { const now = Date.now(); worst = Math.max(worst, now - last - 10); last = now }, 10)
  for (const dedupe of ['exact', 'near', 'near']) {
    global.gc?.()
    const r = await app.ask('POST', '/v1/datasets/from_logs', { name: 'x', filters: { tag: 's' }, holdout_pct: 10, dedupe })
    console.log(dedupe, r.status, JSON.stringify(await r.json()).slice(-420), Date.now() - t, 'worst pause', worst, 'rss', process.memoryUsage.rss() / 1e6); t = Date.now(); worst = 0
  }
  clearInterval(timer)
}, 400_000)
