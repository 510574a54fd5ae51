import { type Fields, isFields } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'

const beginning = 'thought of '
/** The value that Google accepts in place of a signature that it did not make. */
const standIn = 'skip_thought_signature_validator'

/**
 * The signature of an answer's first call.
 *
 * @param name hash of the request that it answers
 */
export function thoughtSignature(name: string): string {
  return Buffer.from(`${beginning}${name}`).toString('base64')
}

/** True when a model, by its name, refuses calls without the signature of their reasoning: from Gemini 3 on. */
export function requiresSignatures(model: string): boolean {
  return /\/gemini-[3-9]/.test(model)
}

/**
 * Checks that the first call of each model turn has the signature that was given with it.
 *
 * @throws WireError 400
 */
export function checkSignatures(contents: readonly unknown[]): void {
  for (const [index, content] of contents.entries()) {
    if (!isFields(content) || content.role !== 'model' || !Array.isArray(content.parts)) continue
    const called = content.parts.filter((part) => isFields(part) && isFields(part.functionCall))
    if (called.length > 0) checkFirst(called[0], `contents[${index}]`)
  }
}

function checkFirst({ thoughtSignature: signature, functionCall }: Fields, path: string): void {
  const name = isFields(functionCall) ? String(functionCall.name) : ''
  if (typeof signature !== 'string') {
    const message = `Function call is missing a thought_signature in functionCall parts. Function call \`${name}\`, ${path}.`
    throw new WireError(400, message)
  }
  if (signature === standIn || Buffer.from(signature, 'base64').toString().startsWith(beginning)) return
  throw new WireError(400, `Corrupted thought signature at ${path}.`)
}
