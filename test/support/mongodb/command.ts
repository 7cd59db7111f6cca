import { type Document, MongoClient, type MongoClientOptions } from 'mongodb';

/** Connects for one piece of work, and closes whatever comes of it. */
export async function withClient<T>(
  uri: string,
  work: (client: MongoClient) => Promise<T>,
  options: MongoClientOptions = {},
): Promise<T> {
  await using client = new MongoClient(uri, options);
  return await work(client);
}

/** Runs one command on the database `admin`. */
export async function adminCommand(uri: string, command: Document): Promise<Document> {
  return await withClient(uri, async (client) => await client.db('admin').command(command));
}
