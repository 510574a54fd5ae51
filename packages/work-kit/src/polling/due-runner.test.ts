import { eventually } from '@ratchet/testing/eventually'
import { createDueRunner } from './due-runner.ts'

/** Work that ends when `end` is called with its name. */
function pieces(count: number) {
  const due = Array.from({ length: count }, (_, index) => `w${index}`)
  const [ended, errors, limits]: [string[], unknown[], number[]] = [[], [], []]
  let progress = 0
  const gates = new Map<string, PromiseWithResolvers<void>>()
  let maxInProgress = 0
  const runner = createDueRunner<string>({
    async take(limit, inProgress) {
      limits.push(limit)
      return due.filter((work) => !inProgress.includes(work) && !ended.includes(work)).slice(0, limit)
    },
    async process(work) {
      const gate = Promise.withResolvers<void>()
      gates.set(work, gate)
      maxInProgress = Math.max(maxInProgress, gates.size)
      await gate.promise.finally(() => gates.delete(work))
      ended.push(work)
    },
    concurrency: 3,
    onError(error) {
      ended.push('failed')
      errors.push(error)
    },
    onProgress: () => {
      progress += 1
    },
  })
  const end = (isEnded: (work: string) => boolean = () => true) => {
    for (const [work, gate] of gates) if (isEnded(work)) gate.resolve()
  }
  return {
    runner,
    due,
    gates,
    ended,
    errors,
    limits,
    end,
    maxInProgress: () => maxInProgress,
    progress: () => progress,
  }
}

it('processes all due pieces, at most `concurrency` at the same time', async () => {
  const { runner, ended, end, limits, maxInProgress } = pieces(20)
  const filling = runner.fill()
  await eventually(() => {
    end()
    return ended.length === 20
  })
  await filling
  await runner.stop()
  expect([maxInProgress(), limits[0]]).toEqual([3, 3])
})

it('continues with other work while a piece takes long', async () => {
  const { runner, ended, end, gates } = pieces(10)
  void runner.fill()
  await eventually(() => gates.size === 3)
  await eventually(() => {
    end((work) => work !== 'w0')
    return ended.length === 9
  })
  expect([...gates.keys()]).toEqual(['w0'])
  end()
  await runner.stop()
  expect(ended).toHaveLength(10)
})

it('finds work that becomes due while a piece takes long', async () => {
  const { runner, due, ended, end, gates } = pieces(1)
  const filling = runner.fill()
  await eventually(() => gates.has('w0'))
  due.push('late')
  await eventually(() => {
    end((work) => work === 'late')
    return ended.includes('late')
  })
  end()
  await filling
  await runner.stop()
})

it('reports a piece that failed, and processes the others', async () => {
  const { runner, gates, errors, ended, end } = pieces(2)
  const filling = runner.fill()
  await eventually(() => gates.size === 2)
  gates.get('w0')?.reject(new Error('broken'))
  end((work) => work === 'w1')
  await eventually(() => ended.length === 2)
  expect(errors).toEqual([new Error('broken')])
  const stopped = runner.stop()
  await eventually(() => {
    end()
    return gates.size === 0
  })
  await Promise.all([filling, stopped])
})

it('takes no more work when it stops, and waits for what is in progress', async () => {
  const { runner, due, gates, ended, end } = pieces(1)
  const filling = runner.fill()
  await eventually(() => gates.has('w0'))
  const stopped = runner.stop()
  due.push('late')
  await runner.fill()
  expect(ended).toEqual([])
  end()
  await Promise.all([filling, stopped])
  expect([ended, gates.size]).toEqual([['w0'], 0])
})

it('reports progress when a piece ended and when none is due, but not while pieces hang', async () => {
  const { runner, gates, end, progress } = pieces(2)
  const filling = runner.fill()
  await eventually(() => gates.size === 2)
  expect(progress()).toBe(0)
  end((work) => work === 'w0')
  await eventually(() => progress() >= 1)
  end()
  await filling
  await runner.stop()
  expect(progress()).toBe(3)
})
