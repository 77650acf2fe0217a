/** A BigInt, signed or unsigned, as the text of a simhash: 16 hexadecimal digits. */
export function fingerprint(value: bigint): string;

/** A value of type bit(n): its bytes, the highest bit first, the last byte filled up with zeros. */
export class Signature {
    constructor(bytes: Uint8Array | number[], bits?: number);
    static parse(digits: string): Signature;
    readonly bytes: Buffer;
    readonly bits: number;
    toString(): string;
    toPostgres(): string;
}

/** The Hamming distance of two fingerprints, or of two signatures of one length. */
export function distance(a: bigint, b: bigint): number;
export function distance(a: Signature, b: Signature): number;

// A client of node-postgres. From a linked package its own type could not be imported. Older ones lack setTypeParser.
export interface NodePostgresClient {
    query(text: string, values: string[]): Promise<{ rows: any[] }>;
    escapeIdentifier(name: string): string;
}

/** Registers the types on a client. The schema is that of the extension, if it is not in the search path. */
export function registerTypes(client: NodePostgresClient, options?: { schema?: string }): Promise<void>;
