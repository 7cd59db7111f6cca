package io.github.postern.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** TLS that trusts the authorities of one file and no other. */
final class DriverTls {
    private final SSLContext context;
    private final X509TrustManager trust;

    DriverTls(Path authorities) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream file = Files.newInputStream(authorities)) {
            int number = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                store.setCertificateEntry("authority" + number++, each);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        trust = (X509TrustManager) factory.getTrustManagers()[0];
        context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {trust}, null);
    }

    SSLContext context() {
        return context;
    }

    X509TrustManager trust() {
        return trust;
    }
}
