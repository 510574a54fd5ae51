/** The encryption context of the secrets of a voice agent's tool. They can be decrypted for no other tool. */
export function voiceToolPlace({ workspaceId, id }: { workspaceId: string; id: string }): string[] {
  return ['voice tool', workspaceId, id]
}
