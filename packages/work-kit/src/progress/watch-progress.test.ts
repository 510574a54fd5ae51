import { watchProgress } from './watch-progress.ts'

function watch(limits?: Parameters<typeof watchProgress>[1]) {
  const clock = { ms: 0 }
  return { clock, ...watchProgress(() => new Date(clock.ms), limits) }
}

it('reports a worker as stuck after five minutes without progress, until it makes progress', async () => {
  const { clock, onProgress, check } = watch()
  clock.ms = 300_000
  await check()
  clock.ms = 300_001
  await expect(check()).rejects.toThrow('no progress for 300001 ms')
  onProgress()
  await check()
})

it('fails the liveness check after fifteen minutes without any event', async () => {
  const { clock, onProgress, checkLife } = watch()
  clock.ms = 900_000
  await checkLife()
  clock.ms = 900_001
  await expect(checkLife()).rejects.toThrow('no progress for 900001 ms')
  onProgress()
  await checkLife()
})

it('does not restart a worker whose database is unavailable', async () => {
  const { clock, whileUnavailable, check, checkLife } = watch({ stuckAfterMs: 10, deadAfterMs: 100 })
  const heard: unknown[] = []
  const onError = whileUnavailable((error: string) => heard.push(error))

  for (clock.ms = 50; clock.ms <= 1_000; clock.ms += 50) onError('away')

  await expect(check()).rejects.toThrow('no progress')
  await checkLife()
  expect(heard).toEqual(Array.from({ length: 20 }, () => 'away'))
})

it('restarts a worker that records neither progress nor an unavailable dependency', async () => {
  const { clock, whileUnavailable, checkLife } = watch({ deadAfterMs: 100 })
  whileUnavailable(() => undefined)()
  clock.ms = 101
  await expect(checkLife()).rejects.toThrow('no progress for 101 ms')
})
