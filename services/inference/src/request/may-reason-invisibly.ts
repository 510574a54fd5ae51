import type { ProviderRequest } from '../wire/provider.ts'

const capabilities = ['reasoning', 'adaptive_thinking']
/** Parameters with which clients request reasoning, in any dialect. */
const parameters = ['reasoning', 'reasoning_effort', 'thinking']

/** True when the model may generate reasoning that its stream does not contain, so that only its usage states it. */
export function mayReasonInvisibly({ model, body }: Pick<ProviderRequest, 'model' | 'body'>): boolean {
  const isRequested = parameters.some((name) => body[name] !== undefined && body[name] !== null)
  return isRequested || capabilities.some((name) => model.capabilities.includes(name))
}
