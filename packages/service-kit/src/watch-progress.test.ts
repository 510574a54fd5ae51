import { watchProgress } from './watch-progress.ts'

function watch(limits?: Parameters<typeof watchProgress>[1]) {
  const clock = { ms: 0 }
  return { clock, ...watchProgress(() => new Date(clock.ms), limits) }
}

it('calls a worker stuck that did nothing for five minutes, until it does something', async () => {
  const { clock, onProgress, check } = watch()
  clock.ms = 300_000
  await check()
  clock.ms = 300_001
  await expect(check()).rejects.toThrow('no progress for 300001 ms')
  onProgress()
  await check()
})

it('calls for a restart when a quarter of an hour went by without a sign of the work', async () => {
  const { clock, onProgress, checkLife } = watch()
  clock.ms = 900_000
  await checkLife()
  clock.ms = 900_001
  await expect(checkLife()).rejects.toThrow('no progress for 900001 ms')
  onProgress()
  await checkLife()
})

it('lets a worker live that hears that its database is away, though it does nothing', async () => {
  const { clock, whileUnavailable, check, checkLife } = watch({ stuckAfterMs: 10, deadAfterMs: 100 })
  const heard: unknown[] = []
  const onError = whileUnavailable((error: string) => heard.push(error))

  for (clock.ms = 50; clock.ms <= 1_000; clock.ms += 50) onError('away')

  await expect(check()).rejects.toThrow('no progress')
  await checkLife()
  expect(heard).toEqual(Array.from({ length: 20 }, () => 'away'))
})

it('wants a restart of a worker that neither works nor hears anything any more', async () => {
  const { clock, whileUnavailable, checkLife } = watch({ deadAfterMs: 100 })
  whileUnavailable(() => undefined)()
  clock.ms = 101
  await expect(checkLife()).rejects.toThrow('no progress for 101 ms')
})
