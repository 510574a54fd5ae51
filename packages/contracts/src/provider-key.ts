/** Number of characters at the end of a provider key that people can see. */
export const providerKeyDisplayLength = 4

/** The encryption context of a provider key. It can be decrypted for no other workspace and no other provider. */
export function providerKeyPlace({ workspaceId, provider }: { workspaceId: string; provider: string }): string[] {
  return ['provider key', workspaceId.toLowerCase(), provider]
}
