import { createRequire } from 'node:module'
import path from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createResampler } from '@ratchet/audio/create-resampler'
import { createFlite } from '@ratchet/audio/flite'
import type { SpeechJob, SpeechResult, SpeechThreadData } from './speech-messages.ts'

/** The part of `sherpa-onnx-node` that is used here; it is installed beside the weights, and has no types. */
interface SherpaOnnx {
  readonly OfflineRecognizer: new (config: object) => OfflineRecognizer
}

interface OfflineRecognizer {
  createStream(): {
    acceptWaveform(wave: { readonly sampleRate: number; readonly samples: Float32Array }): void
  }
  decode(stream: object): void
  getResult(stream: object): { readonly text: string }
}

/** Of the audio that the recognizer was trained with. */
const modelRate = 16_000

const { folder } = workerData as SpeechThreadData
/** Each is loaded when it is needed first: a thread either recognizes or speaks. */
let recognizer: OfflineRecognizer | null = null
let flite: ReturnType<typeof createFlite> | null = null

function loadRecognizer(): OfflineRecognizer {
  const load = createRequire(path.join(folder, 'package.json'))
  const { OfflineRecognizer: Recognizer } = load('sherpa-onnx-node') as SherpaOnnx
  const model = (file: string) => path.join(folder, 'model', file)
  return new Recognizer({
    featConfig: { sampleRate: modelRate, featureDim: 80 },
    modelConfig: {
      moonshine: { encoder: model('encoder_model.ort'), mergedDecoder: model('decoder_model_merged.ort') },
      tokens: model('tokens.txt'),
      numThreads: 1,
      provider: 'cpu',
      debug: 0,
    },
  })
}

async function work(job: SpeechJob): Promise<SpeechResult> {
  if (job.kind === 'speak') {
    flite ??= createFlite(path.join(folder, 'flite.wasm'))
    return { kind: 'spoken', ...(await flite(job)) }
  }
  recognizer ??= loadRecognizer()
  const stream = recognizer.createStream()
  const pcm = createResampler(job.sampleRate, modelRate).push(job.pcm)
  stream.acceptWaveform({ sampleRate: modelRate, samples: Float32Array.from(pcm, (sample) => sample / 32_768) })
  recognizer.decode(stream)
  return { kind: 'recognized', text: recognizer.getResult(stream).text.trim() }
}

parentPort?.on('message', (job: SpeechJob) => {
  work(job).then(
    (result) => parentPort?.postMessage(result),
    (error: unknown) => parentPort?.postMessage({ kind: 'failed', reason: String(error) } satisfies SpeechResult),
  )
})
