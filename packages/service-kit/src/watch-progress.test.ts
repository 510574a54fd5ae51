import { watchProgress } from './watch-progress.ts'

it('calls a worker stuck that did nothing for five minutes, until it does something', async () => {
  let at = 0
  const { onProgress, check } = watchProgress(() => new Date(at))
  at = 300_000
  await check()
  at = 300_001
  await expect(check()).rejects.toThrow('no progress for 300001 ms')
  onProgress()
  await check()
})
