import { type Reading, said, testRecorder } from './recorder.fixture.ts'

describe('what a request brings in from the store', () => {
  const noRoom = () => {
    throw new Error('no room')
  }
  const named = (id: string, times: number) => Array.from({ length: times }, () => ({ type: 'item_reference', id }))

  it('is refused before it is written out when references stand for more than a request may have', async () => {
    const { ask, prepare, reserved } = testRecorder()
    await ask({ input: 'one' }, [said('msg_1', 'x'.repeat(150_000))])
    // Written out, they are longer than a string can be.
    await expect(prepare({ input: named('msg_1', 4_500) })).rejects.toMatchObject({ code: 'request_too_large' })
    expect(Math.max(...reserved)).toBeLessThan(200_000)
  })

  it('holds memory for each reference, however few items they name', async () => {
    const { ask, prepare, reserved } = testRecorder()
    await ask({ input: 'one' }, [said('msg_1', 'x'.repeat(20_000))])
    const { read } = await prepare({ input: named('msg_1', 100) })
    expect(Math.max(...reserved)).toBeGreaterThan(2_000_000)
    expect(read.bytes.length).toBeGreaterThan(2_000_000)
    await expect(prepare({ input: named('msg_1', 100) }, { reserve: noRoom })).rejects.toThrow('no room')
  })

  it('is refused with more references than an agent sends', async () => {
    const { ask, prepare } = testRecorder()
    await ask({ input: 'one' }, [said('msg_1', 'done')])
    await expect(prepare({ input: named('msg_1', 5_001) })).rejects.toMatchObject({
      code: 'request_too_large',
      param: 'input',
    })
  })

  it('is measured and held before a chain is read', async () => {
    let reads = 0
    const counted: Reading = (read) => {
      reads += 1
      return read()
    }
    const { ask, prepare, reserved } = testRecorder(counted)
    const previous_response_id = await ask({ input: 'x'.repeat(400_000) }, [said('msg_1', 'done')])
    const input = 'two'
    await prepare({ input, previous_response_id, generate: false })
    expect([Math.max(...reserved) > 400_000, reads]).toEqual([true, 1])
    await expect(prepare({ input, previous_response_id }, { reserve: noRoom })).rejects.toThrow('no room')
    expect(reads).toBe(1)
  })

  it('is read for two long chains of a workspace at a time, and for others meanwhile', async () => {
    const reading: (() => void)[] = []
    const held: Reading = (read, bytes) =>
      bytes < 400_000 ? read() : new Promise<void>((go) => void reading.push(go)).then(read)
    const { ask, prepare } = testRecorder(held)
    const outsider = { workspaceId: '00000000-0000-7000-8000-0000000000bb' }
    const long = { input: 'x'.repeat(400_000) }
    const [own, foreign, short] = [await ask(long), await ask(long, [], outsider), await ask({ input: 'one' })]
    const turn = (id: string, more = {}) => prepare({ input: 'two', previous_response_id: id }, more)
    const waiting = [own, own, own, own].map((id) => turn(id))
    const others = turn(foreign, outsider)
    await turn(short)
    await new Promise(setImmediate)
    expect(reading).toHaveLength(3)
    while (reading.length > 0) {
      reading.shift()?.()
      await new Promise(setImmediate)
    }
    expect(await Promise.all([...waiting, others])).toHaveLength(5)
  })

  it('is written for so many large requests of a workspace, and refused for more', async () => {
    const { ask, prepare } = testRecorder()
    await ask({ input: 'one' }, [said('msg_1', 'x'.repeat(10_000))])
    const many = Array.from({ length: 50 }, () => prepare({ input: named('msg_1', 30) }))
    const outcomes = await Promise.allSettled(many)
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []))
    expect(refused).toEqual(Array(50 - 34).fill('service_unavailable'))
    expect((await prepare({ input: named('msg_1', 30) })).read.bytes.length).toBeGreaterThan(300_000)
  })
})
