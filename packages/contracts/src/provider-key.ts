/** Characters of a provider's key that people are shown: its last ones. */
export const providerKeyDisplayLength = 4

/** Where a provider's key is sealed for: it opens for no other workspace and no other provider. */
export function providerKeyPlace({ workspaceId, provider }: { workspaceId: string; provider: string }): string[] {
  return ['provider key', workspaceId.toLowerCase(), provider]
}
