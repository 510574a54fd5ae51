/** The encryption context of a webhook's signing secret. It can be decrypted for no other webhook. */
export function webhookSecretPlace({ workspaceId, id }: { workspaceId: string; id: string }): string[] {
  return ['webhook', workspaceId, id]
}
