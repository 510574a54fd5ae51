/** Where the secret that signs what a webhook is sent is sealed for: it opens for no other webhook. */
export function webhookSecretPlace({ workspaceId, id }: { workspaceId: string; id: string }): string[] {
  return ['webhook', workspaceId, id]
}
