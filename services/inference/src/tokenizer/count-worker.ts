import { parentPort } from 'node:worker_threads'
import { countText, type Vocabulary } from './count-text.ts'
import type { CountBatch } from './count-thread.ts'
import { loadVocabulary } from './load-vocabulary.ts'
import type { EncodingName } from './model-encoding.ts'

/**
 * The counting thread: it receives a batch and sends its number of tokens. Any error ends it, and its owner starts
 * another one.
 */
const loading = new Map<EncodingName, Promise<Vocabulary>>()

parentPort?.on('message', async ({ texts, encoding }: CountBatch) => {
  const loaded = loading.get(encoding) ?? loadVocabulary(encoding)
  loading.set(encoding, loaded)
  const vocabulary = await loaded
  parentPort?.postMessage(texts.reduce((sum, text) => sum + countText(text, vocabulary), 0))
})
