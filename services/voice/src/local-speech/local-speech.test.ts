import { readWave } from '@ratchet/audio/flite'
import { eventually } from '@ratchet/testing/eventually'
import { openLocalRecognizer } from './local-recognizer.ts'
import { createLocalSynthesizer } from './local-synthesizer.ts'
import type { SpeechJob, SpeechResult } from './speech-messages.ts'
import { createSpeechThread } from './speech-thread.ts'

const sampleRate = 16_000
const frame = (amplitude: number) => Int16Array.from({ length: 320 }, (_, i) => (i % 2 === 0 ? amplitude : -amplitude))
const speech = frame(3_000)
const silence = frame(20)

function recognizeWith(answer: (job: SpeechJob & { kind: 'recognize' }) => Promise<SpeechResult>) {
  const jobs: number[] = []
  const heard: (readonly [string, boolean])[] = []
  let failures = 0
  const thread = {
    run(job: SpeechJob) {
      if (job.kind !== 'recognize') throw new Error('not asked here')
      jobs.push(job.pcm.length / 320)
      return answer(job)
    },
  }
  const recognizer = openLocalRecognizer(
    { thread, sampleRate },
    { onText: (text, isFinal) => heard.push([text, isFinal]), onFailed: () => failures++ },
  )
  const push = (pcm: Int16Array, frames: number) => {
    for (let i = 0; i < frames; i++) recognizer.push(pcm)
  }
  return { recognizer, push, jobs, heard, failures: () => failures }
}

it('recognizes a segment while it grows, and as a whole at a pause', async () => {
  const { recognizer, push, jobs, heard } = recognizeWith(async ({ pcm }) => ({
    kind: 'recognized',
    text: `${pcm.length / 320} frames`,
  }))
  push(silence, 100)
  push(speech, 30)
  await eventually(() => expect(heard).toHaveLength(1))
  push(speech, 30)
  recognizer.flush()
  await eventually(() => expect(heard.at(-1)?.[1]).toBe(true))
  // The audio before the first loud one is part of it, and no more of the silence.
  expect(jobs.at(-1)).toBeGreaterThanOrEqual(60 + 14)
  expect(jobs.at(-1)).toBeLessThanOrEqual(60 + 16)
})

it('asks the model nothing about silence', () => {
  const { recognizer, push, jobs } = recognizeWith(async () => ({ kind: 'recognized', text: 'Thank you.' }))
  push(silence, 500)
  recognizer.flush()
  expect(jobs).toEqual([])
})

it('ends a segment without a pause, and goes on', async () => {
  const { push, heard } = recognizeWith(async () => ({ kind: 'recognized', text: 'on and on' }))
  for (let i = 0; i < 16; i++) {
    push(speech, 50)
    await Promise.resolve()
  }
  await eventually(() => expect(heard.some(([, isFinal]) => isFinal)).toBe(true))
})

it('fails after three failures in a row, and is silent then', async () => {
  const { push, heard, failures, jobs } = recognizeWith(() => Promise.reject(new Error('out of memory')))
  await eventually(() => {
    push(speech, 30)
    expect(failures()).toBe(1)
  })
  const asked = jobs.length
  push(speech, 100)
  expect([heard, failures(), jobs.length]).toEqual([[], 1, asked])
})

it('converts a voice to the rate of the line, with a time for each word', async () => {
  const spoken: { pcm: number; words: string[] }[] = []
  const thread = {
    run: async (): Promise<SpeechResult> => ({ kind: 'spoken', pcm: new Int16Array(16_000).fill(900), sampleRate }),
  }
  const synthesizer = createLocalSynthesizer({ thread, voice: 'slt', speed: 1, sampleRate: 8_000 })
  let isEnded = false
  synthesizer.speak(
    { text: 'One two.', isRetry: false },
    {
      onAudio: (pcm, words) => spoken.push({ pcm: pcm.length, words: words.map(({ text }) => text) }),
      onEnd: () => {
        isEnded = true
      },
      onFailed: () => undefined,
    },
  )
  await eventually(() => expect(isEnded).toBe(true))
  expect(spoken).toEqual([{ pcm: expect.any(Number), words: ['One', 'two.'] }])
  expect(spoken[0]?.pcm).toBeGreaterThanOrEqual(8_000)
})

it('reports a voice that is away, and nothing after it was cancelled', async () => {
  const outcomes: string[] = []
  const thread = createSpeechThread({ folder: '/nowhere' })
  const synthesizer = createLocalSynthesizer({ thread, voice: 'slt', speed: 1, sampleRate })
  const events = (name: string) => ({
    onAudio: () => void outcomes.push(`${name} audio`),
    onEnd: () => void outcomes.push(`${name} end`),
    onFailed: () => void outcomes.push(`${name} failed`),
  })
  synthesizer.speak({ text: 'One.', isRetry: false }, events('cancelled'))()
  synthesizer.speak({ text: 'Two.', isRetry: false }, events('spoken'))
  await eventually(() => expect(outcomes).toEqual(['spoken failed']))
  await thread.stop()
})

it('refuses jobs that would wait too long', async () => {
  const thread = createSpeechThread({ folder: '/nowhere' })
  const jobs = Array.from({ length: 70 }, () =>
    thread.run({ kind: 'speak', text: 'a', voice: 'slt', speed: 1 }).then(
      ({ kind }) => kind,
      (error: Error) => error.message,
    ),
  )
  const answers = await Promise.all(jobs)
  expect(answers.filter((answer) => answer === 'failed')).toHaveLength(64)
  expect(answers.filter((answer) => answer.includes('too much'))).toHaveLength(6)
  await thread.stop()
})

it('reads the files of flite, and refuses others', () => {
  const head = Buffer.from('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0', 'latin1')
  const data = Buffer.from('data\x04\0\0\0\x01\0\xff\xff', 'latin1')
  expect(readWave(Buffer.concat([head, data]))).toEqual({ pcm: Int16Array.of(1, -1), sampleRate: 16_000 })
  expect(() => readWave(head)).toThrow('no audio')
})
