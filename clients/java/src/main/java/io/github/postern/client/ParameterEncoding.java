package io.github.postern.client;

/** In which spelling names and values are signed. The operator of the gateway says which one an endpoint wants. */
public enum ParameterEncoding {
    /** As they are after decoding, the default. */
    DECODED,
    /** As they stand in the URL or form, for endpoints with {@code parameterEncoding: raw}. */
    RAW
}
