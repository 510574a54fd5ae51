import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import type { Vocabulary } from './count-text.ts'
import type { EncodingName } from './model-encoding.ts'

/** An API reads the name of a special token in a prompt as ordinary text. */
const asText = { disallowedSpecial: new Set<string>() }

/**
 * Loads a vocabulary, which blocks for 50 to 200 ms and takes about 60 MB. It must not run on the main thread of a
 * service.
 */
export async function loadVocabulary(encoding: EncodingName): Promise<Vocabulary> {
  const { default: tokenizer } = await modules[encoding]()
  return {
    pieces: splits[encoding],
    count(text) {
      const tokens = tokenizer.countTokens(text, asText)
      tokenizer.clearMergeCache() // its keys would keep whole prompts in memory
      return tokens
    },
  }
}

const modules = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
}

const splits: Readonly<Record<EncodingName, RegExp>> = {
  o200k_base: O200K_TOKEN_SPLIT_REGEX,
  cl100k_base: CL100K_TOKEN_SPLIT_REGEX,
}
